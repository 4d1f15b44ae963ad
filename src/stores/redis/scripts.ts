import { Script } from './connection.ts';

/**
 * Each runs alone on the server, from its first line to its last. Nothing takes back what one has written, so every
 * check stands before the first write, and each key is looked at first: one of another type ends the script there.
 */

/** Milliseconds by the given clock, or by the server's where none is given. */
const NOW = `
local function now(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;

/** Gives the token and the end, or the end alone where another holds the thread. */
export const CLAIM: Script = new Script(`${NOW}
local holder, ends = unpack(redis.call('HMGET', KEYS[1], 'holder', 'until'))
local time = now(ARGV[3])
if holder and holder ~= ARGV[1] and time < tonumber(ends) then return ends end
local token = redis.call('HINCRBY', KEYS[1], 'token', 1)
local last = string.format('%.3f', time + tonumber(ARGV[2]))
redis.call('HSET', KEYS[1], 'holder', ARGV[1], 'until', last)
return { token, last }
`);

export const RENEW: Script = new Script(`${NOW}
local token, holder = unpack(redis.call('HMGET', KEYS[1], 'token', 'holder'))
if token ~= ARGV[1] or not holder then return 0 end
redis.call('HSET', KEYS[1], 'until', string.format('%.3f', now(ARGV[3]) + tonumber(ARGV[2])))
return 1
`);

export const RELEASE: Script = new Script(`
if redis.call('HGET', KEYS[1], 'token') == ARGV[1] then redis.call('HDEL', KEYS[1], 'holder') end
return 1
`);

/** The thread and what policies remember of one moment. */
export const LOAD: Script = new Script(`
local found = redis.call('HMGET', KEYS[1], 'version', 'state', 'messageCount', 'lastSeq')
if not found[1] then return false end
return { found, redis.call('LLEN', KEYS[2]), redis.call('HGETALL', KEYS[3]) }
`);

/**
 * ARGV: token, version, id of the commit, state, how many of each kind, then the values of each kind. Says 'done', also
 * when this very commit had been done before and only its answer was lost; or what stood in its way.
 */
export const COMMIT: Script = new Script(`
local thread, messages, events, ledger, approvals, open, memory, artifacts = unpack(KEYS)
local found = redis.call('HMGET', thread,
  'token', 'holder', 'version', 'messageCount', 'lastSeq', 'commit')
if found[6] == ARGV[3] then return 'done' end
if found[1] ~= ARGV[1] or not found[2] then return 'claim' end
if (found[3] or '0') ~= ARGV[2] then return 'version' end
local count = tonumber(found[4] or '0')
local last = tonumber(found[5] or '0')
if redis.call('LLEN', messages) ~= count then return 'damaged' end
redis.call('XLEN', events)
redis.call('HLEN', approvals)
redis.call('ZCARD', open)
redis.call('HLEN', memory)
redis.call('HLEN', artifacts)

local at = 10
local function each(kind, width, work)
  for _ = 1, tonumber(ARGV[4 + kind]) do
    work(unpack(ARGV, at + 1, at + width))
    at = at + width
  end
end
local first = {}
local function skip(kind, width)
  first[kind] = at
  at = at + width * tonumber(ARGV[4 + kind])
end
skip(1, 1)
skip(2, 2)
if tonumber(ARGV[6]) > 0 and tonumber(ARGV[first[2] + 1]) <= last then return 'event' end
local writes = {}
local mismatch = false
each(3, 3, function(call, digest, value)
  local known = redis.call('HGET', ledger, call)
  if known then
    local status, other = string.match(known, '^([^%z]*)%z([^%z]*)%z')
    if other ~= digest then mismatch = mismatch or call end
    if status ~= 'intended' then return end
  end
  writes[#writes + 1] = { call, value }
end)
if mismatch then return { 'ledger', mismatch } end
local rest = at

at = first[1]
each(1, 1, function(json) redis.call('RPUSH', messages, json) end)
each(2, 2, function(seq, json)
  redis.call('XADD', events, seq .. '-0', 'json', json)
  last = seq
end)
for _, write in ipairs(writes) do redis.call('HSET', ledger, write[1], write[2]) end
at = rest
each(4, 3, function(id, status, json)
  redis.call('HSET', approvals, id, status .. string.char(0) .. json)
  if status == 'open' then redis.call('ZADD', open, 0, id) else redis.call('ZREM', open, id) end
end)
each(5, 2, function(policy, json) redis.call('HSET', memory, policy, json) end)
each(6, 2, function(id, json) redis.call('HSET', artifacts, id, json) end)
redis.call('HSET', thread,
  'version', string.format('%d', tonumber(ARGV[2]) + 1), 'state', ARGV[4], 'commit', ARGV[3],
  'messageCount', string.format('%d', count + tonumber(ARGV[5])), 'lastSeq', last)
return 'done'
`);

/** Fills an intent, and nothing else. */
export const RECORD_LATE: Script = new Script(`${NOW}
local known = redis.call('HGET', KEYS[1], ARGV[1])
local digest = known and string.match(known, '^intended%z([^%z]*)%z')
if not digest then return 0 end
local at = string.format('%d', now(ARGV[3]))
local value = table.concat({ 'finished', digest, '1', at, ARGV[2] }, string.char(0))
redis.call('HSET', KEYS[1], ARGV[1], value)
return 1
`);

/** Ids and records of open approvals of one thread. */
export const PENDING: Script = new Script(`
local ids = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
local found = {}
for _, id in ipairs(ids) do
  found[#found + 1] = { id, redis.call('HGET', KEYS[2], id) }
end
return found
`);

const HELD = `
local thread, messages, events, ledger, approvals, open, memory, artifacts = unpack(KEYS)
local token, holder, version, commit = unpack(
  redis.call('HMGET', thread, 'token', 'holder', 'version', 'commit'))
local isHeld = token == ARGV[1] and holder
`;

export const DELETE: Script = new Script(`${HELD}
if not isHeld then return 'claim' end
redis.call('HDEL', thread, 'version', 'state', 'messageCount', 'lastSeq', 'commit')
redis.call('DEL', messages, events, ledger, approvals, open, memory, artifacts)
return 'done'
`);

/** All of a thread of one moment; or what stands in the way of writing it anew. */
export const READ_ALL: Script = new Script(`${HELD}
if not isHeld then return 'claim' end
if version ~= ARGV[2] then return 'version' end
return {
  redis.call('HGET', thread, 'state'),
  redis.call('LRANGE', messages, 0, -1),
  redis.call('XRANGE', events, '-', '+'),
  redis.call('HGETALL', ledger),
  redis.call('HGETALL', approvals),
  redis.call('HGETALL', memory),
  redis.call('HGETALL', artifacts),
}
`);

/** ARGV: token, version, id of the commit, how many of each kind, then their values. Late outcomes come without a version, so the ledger is compared. */
export const REWRITE: Script = new Script(`${HELD}
if commit == ARGV[3] then return 'done' end
if not isHeld then return 'claim' end
if version ~= ARGV[2] then return 'version' end
local first = {}
local at = 11
for kind = 1, 7 do
  first[kind] = at
  at = at + tonumber(ARGV[3 + kind])
end
first[8] = at
for i = first[4], first[5] - 1, 3 do
  if redis.call('HGET', ledger, ARGV[i]) ~= ARGV[i + 1] then return 'version' end
end
redis.call('DEL', messages, events)
for i = first[2], first[3] - 1 do redis.call('RPUSH', messages, ARGV[i]) end
for i = first[3], first[4] - 1, 2 do redis.call('XADD', events, ARGV[i], 'json', ARGV[i + 1]) end
for i = first[4], first[5] - 1, 3 do redis.call('HSET', ledger, ARGV[i], ARGV[i + 2]) end
for i = first[5], first[6] - 1, 2 do redis.call('HSET', approvals, ARGV[i], ARGV[i + 1]) end
for i = first[6], first[7] - 1, 2 do redis.call('HSET', memory, ARGV[i], ARGV[i + 1]) end
for i = first[7], first[8] - 1, 2 do redis.call('HSET', artifacts, ARGV[i], ARGV[i + 1]) end
redis.call('HSET', thread, 'state', ARGV[first[1]], 'commit', ARGV[3],
  'version', string.format('%d', tonumber(ARGV[2]) + 1))
return 'done'
`);

/**
 * ARGV: by, the highest value allowed or empty, milliseconds until the end or empty, milliseconds to remember the
 * increment, the time or empty. Gives the new value as text, also when this very increment had been done before and only
 * its answer was lost. One above the highest allowed was not kept. 'range' for one that a number does not hold exactly.
 */
export const INCREMENT: Script = new Script(`${NOW}
local counter, done = unpack(KEYS)
local known = redis.call('GET', done)
if known then return known end
local found = redis.call('HMGET', counter, 'value', 'until')
local time = now(ARGV[5])
local isNew = not found[1] or (found[2] and tonumber(found[2]) <= time)
local value = (isNew and 0 or tonumber(found[1])) + tonumber(ARGV[1])
if math.abs(value) > ${Number.MAX_SAFE_INTEGER} then return 'range' end
local text = string.format('%.0f', value)
if ARGV[2] ~= '' and value > tonumber(ARGV[2]) then return text end
if isNew then redis.call('DEL', counter) end
redis.call('HSET', counter, 'value', text)
if isNew and ARGV[3] ~= '' then
  redis.call('HSET', counter, 'until', string.format('%.3f', time + tonumber(ARGV[3])))
  -- A time that the server cannot add to its own is no end.
  local keep = math.ceil(tonumber(ARGV[3]))
  if keep <= ${Number.MAX_SAFE_INTEGER} then
    redis.call('PEXPIRE', counter, string.format('%.0f', keep))
  end
end
redis.call('SET', done, text, 'PX', ARGV[4])
return text
`);

/** ARGV: the time or empty. */
export const READ_COUNTER: Script = new Script(`${NOW}
local value, ends = unpack(redis.call('HMGET', KEYS[1], 'value', 'until'))
if not value or (ends and tonumber(ends) <= now(ARGV[1])) then return '0' end
return value
`);
