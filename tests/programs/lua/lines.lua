-- lines.lua - counts lines with Lua's own debug library:
--   lua5.4 -l lines main.lua
-- SPDX-License-Identifier: MIT
local getinfo, sethook, create = debug.getinfo, debug.sethook, coroutine.create
local lines = {}

local function hook (_, line)
  local place = getinfo (2, "S").short_src .. "\t" .. line
  lines[place] = (lines[place] or 0) + 1
end

-- A hook of this library is for one coroutine.
function coroutine.create (f)
  local new = create (f)
  sethook (new, hook, "l")
  return new
end

function print_lines ()
  sethook ()
  for place, n in pairs (lines) do
    if not place:find "lines.lua" then
      print (place .. "\t" .. n)
    end
  end
end

sethook (hook, "l")
