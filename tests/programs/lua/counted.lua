-- counted.lua - the program's own count of calls: every function counts itself,
-- and every call of a C function is counted before it.
-- SPDX-License-Identifier: MIT
local calls = { count = 0 }
local names = { "count" }

function count (name)
  calls.count = calls.count + 1
  if not calls[name] then
    calls[name] = 0
    names[#names + 1] = name
  end
  calls[name] = calls[name] + 1
end

function print_counts ()
  count "print_counts"
  count "print"
  local text = ""
  for i = 1, #names do
    text = text .. names[i] .. " " .. calls[names[i]] .. "\n"
  end
  print (text)
end
