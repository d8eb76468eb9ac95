-- tasks.lua - coroutines that end, fail, or are left suspended.
-- SPDX-License-Identifier: MIT
local tasks = {}

function produce (n)
  count "produce"
  for i = 1, n do
    count "coroutine.yield"
    coroutine.yield (i)
  end
end

-- A yield below several calls, and in a pcall.
function produce_deep (n)
  count "produce_deep"
  if n > 0 then
    produce_deep (n - 1)
    count "pcall"
    pcall (produce, 2)
  end
end

function fail ()
  count "fail"
  produce (1)
  count "error"
  error "failed"
end

local function resume (task)
  count "resume"
  count "coroutine.status"
  if coroutine.status (task) == "suspended" then
    count "coroutine"
  end
  count "coroutine.resume"
  return coroutine.resume (task)
end

-- Runs f in a coroutine, at most n steps of it.
function tasks.run (f, argument, n)
  count "tasks.run"
  count "coroutine.create"
  local task = coroutine.create (function () f (argument) end)
  local steps = 0
  while steps < n and resume (task) do
    steps = steps + 1
  end
  return steps
end

-- A coroutine in a coroutine.
function nest (depth)
  count "nest"
  produce (1)
  if depth > 0 then
    tasks.run (nest, depth - 1, 5)
  end
end

return tasks
