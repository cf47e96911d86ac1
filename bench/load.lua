-- Sends the requests of a file, one after the other: each stands behind its length, a number of eight digits.
-- Arguments: the file; the mean pause before each request in milliseconds, or 0 for none.
local requests, sent = {}, 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local text = file:read("*a")
  file:close()
  local from = 1
  while from <= #text do
    local length = tonumber(text:sub(from, from + 7))
    requests[#requests + 1] = text:sub(from + 8, from + 7 + length)
    from = from + 8 + length
  end
  local pause = tonumber(args[2])
  if pause > 0 then
    -- Requests then come at random, as those of many who know nothing of each other do.
    function delay()
      return math.floor(-pause * math.log(1 - math.random()) + math.random())
    end
  end
end

function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"bytes":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
