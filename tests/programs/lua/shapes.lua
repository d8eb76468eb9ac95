-- shapes.lua - methods, metamethods, and functions that C calls.
-- SPDX-License-Identifier: MIT
local shapes = {}
local Square = {}
Square.__index = Square

function Square:area ()
  count "area"
  return self.side * self.side
end

-- Called by the operator.
function add_squares (a, b)
  count "add_squares"
  return shapes.square (a.side + b.side)
end
Square.__add = add_squares

function shapes.square (side)
  count "shapes.square"
  count "setmetatable"
  return setmetatable ({ side = side }, Square)
end

-- Called by table.sort.
function is_smaller (a, b)
  count "is_smaller"
  return a:area () < b:area ()
end

function shapes.sorted (n)
  count "shapes.sorted"
  local list = {}
  for i = 1, n do
    list[i] = shapes.square (i * 7 % n) + shapes.square (1)
  end
  count "table.sort"
  table.sort (list, is_smaller)
  return list
end

return shapes
