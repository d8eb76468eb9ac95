-- main.lua - what a profiler may get wrong: recursion, tail calls, errors and
-- coroutines.  Prints how often each function was called.
-- SPDX-License-Identifier: MIT
require "counted"
count "require" -- the first one too, which could not be counted before
count "require"
local shapes = require "shapes"
count "require"
local tasks = require "tasks"

local function fib (n)
  count "fib"
  if n < 2 then
    return n
  end
  return fib (n - 1) + fib (n - 2)
end

function is_even (n)
  count "is_even"
  if n == 0 then
    return true
  end
  return is_odd (n - 1)
end

function is_odd (n)
  count "is_odd"
  if n == 0 then
    return false
  end
  return is_even (n - 1)
end

-- Errors.

function sink (depth, x)
  count "sink"
  if depth == 0 then
    return x.no.such
  end
  sink (depth - 1, x)
end

function handle (message)
  count "handle"
  return message
end

-- Each level catches what the one below it throws, and throws.
function rethrow (depth)
  count "rethrow"
  if depth > 0 then
    count "pcall"
    pcall (rethrow, depth - 1)
  end
  count "error"
  error "again"
end

local function errors ()
  count "errors"
  for i = 1, 5 do
    count "pcall"
    pcall (sink, i, {})
    fib (3)
  end
  count "xpcall"
  xpcall (sink, handle, 4, {})
  count "pcall"
  pcall (rethrow, 6)
  -- A pcall that itself fails, in a pcall; and a C function that fails.
  count "pcall"
  count "pcall"
  pcall (pcall)
  count "pcall"
  count "error"
  pcall (error, "by C")
  return is_even (3)
end

fib (12)
is_even (101)
errors ()
shapes.sorted (20)
for i = 1, 30 do
  tasks.run (produce, 4, 10)      -- to its end
  tasks.run (produce_deep, 3, 4)  -- left suspended
  tasks.run (fail, nil, 9)
end
tasks.run (nest, 4, 9)
count "collectgarbage"
collectgarbage ()
tasks.run (produce_deep, 3, 2)
count "string.gsub"
string.gsub ("words to count", "%a+", handle)
print_counts ()
if print_lines then print_lines () end
