// What the index does in Redis, each in one step. Keys of one tenant share a tag, and so a slot of a cluster: a worker who crosses
// the border of a region is taken out of one key and put into another at once.
//
//   …:last           hash: worker → value
//   …:seen           sorted set: worker by the time of a fix, moved on once in thirty seconds
//   …:built          there while nothing was lost: "0" while somebody builds it
//   …:near:<region>  geo set: worker by place; names of regions are H3 cells
//
// A value is device time and receive time (thirteen digits each, which compare as texts do), region (fifteen), "lat|lng#cell".

/** Keys outlive the last fix of a tenant by that, should nobody be there to sweep. */
const IDLE_SECONDS = 900;
/** Whoever has begun to build and has not ended by then is taken for dead. */
const BUILDING_SECONDS = 10;

/**
 * KEYS last, seen, built. ARGV: what the names of regions begin with, start of the current thirty seconds; then for each fix
 * worker, value, longitude, latitude. Answers: how many were newer, how many were not, and whether the caller is to build.
 */
export const APPLY = `
local sub = string.sub
local n = (#ARGV - 2) / 4
local ids = {}
for i = 1, n do ids[i] = ARGV[4 * i - 1] end
local stored = redis.call('HMGET', KEYS[1], unpack(ids))
local last, before, at, order, count, older = {}, {}, {}, {}, 0, 0
for i = 1, n do
  local id, b = ids[i], 4 * i - 1
  local known = last[id] or stored[i] or ''
  if sub(ARGV[b + 1], 1, 13) <= sub(known, 1, 13) then
    older = older + 1
    last[id] = known
  else
    if not at[id] then
      count = count + 1
      order[count] = id
      before[id] = known
    end
    last[id] = ARGV[b + 1]
    at[id] = b
  end
end
local values, seen, regions, v, s = {}, {}, {}, 0, 0
for i = 1, count do
  local id = order[i]
  local b, old, new = at[id], before[id], last[id]
  values[v + 1] = id
  values[v + 2] = new
  v = v + 2
  if sub(old, 27) ~= sub(new, 27) then
    local from, to = sub(old, 27, 41), sub(new, 27, 41)
    if from ~= to and from ~= '' then redis.call('ZREM', ARGV[1] .. from, id) end
    local places = regions[to]
    if not places then
      places = {}
      regions[to] = places
    end
    local p = #places
    places[p + 1] = ARGV[b + 2]
    places[p + 2] = ARGV[b + 3]
    places[p + 3] = id
  end
  if sub(old, 14, 26) < ARGV[2] then
    seen[s + 1] = sub(new, 14, 26)
    seen[s + 2] = id
    s = s + 2
  end
end
if v > 0 then
  redis.call('HSET', KEYS[1], unpack(values))
  redis.call('EXPIRE', KEYS[1], ${IDLE_SECONDS})
end
if s > 0 then
  redis.call('ZADD', KEYS[2], unpack(seen))
  redis.call('EXPIRE', KEYS[2], ${IDLE_SECONDS})
end
for region, places in pairs(regions) do
  redis.call('GEOADD', ARGV[1] .. region, unpack(places))
end
for region in pairs(regions) do
  redis.call('EXPIRE', ARGV[1] .. region, ${IDLE_SECONDS})
end
local lost = redis.call('SET', KEYS[3], '0', 'NX', 'EX', ${BUILDING_SECONDS})
if not lost and redis.call('GET', KEYS[3]) == '1' then redis.call('EXPIRE', KEYS[3], ${IDLE_SECONDS}) end
return {count, older, lost and 1 or 0}
`;

/** KEYS built. Nothing is lost any more. */
export const BUILT = `return redis.call('SET', KEYS[1], '1', 'EX', ${IDLE_SECONDS})`;

/**
 * KEYS last, built, then the regions. ARGV: longitude, latitude, fresh since (13 digits), how many fresh ones are enough, then the
 * circles in metres. Answers: whether the caller is to build; then the values after their workers.
 */
export const NEARBY = `
local out = {redis.call('SET', KEYS[2], '0', 'NX', 'EX', ${BUILDING_SECONDS}) and '1' or '0'}
local sub = string.sub
local enough, most = tonumber(ARGV[4]), 200
for r = 5, #ARGV do
  local fresh, n = 0, 1
  for k = 3, #KEYS do
    local ids = redis.call('GEOSEARCH', KEYS[k], 'FROMLONLAT', ARGV[1], ARGV[2], 'BYRADIUS', ARGV[r], 'm', 'ASC', 'COUNT', most)
    if #ids > 0 then
      local values = redis.call('HMGET', KEYS[1], unpack(ids))
      for i = 1, #ids do
        local value = values[i]
        if value then
          out[n + 1] = ids[i]
          out[n + 2] = value
          n = n + 2
          if sub(value, 1, 13) >= ARGV[3] and sub(value, 14, 26) >= ARGV[3] then fresh = fresh + 1 end
        end
      end
    end
  end
  if fresh >= enough or r == #ARGV then
    for i = n + 1, #out do out[i] = nil end
    return out
  end
  most = math.min(6400, most * 2)
end
return out
`;

/** KEYS last, built; ARGV workers. Answers as NEARBY does. */
export const LAST = `
local out = {redis.call('SET', KEYS[2], '0', 'NX', 'EX', ${BUILDING_SECONDS}) and '1' or '0'}
local values = redis.call('HMGET', KEYS[1], unpack(ARGV))
for i = 1, #ARGV do
  if values[i] then
    out[#out + 1] = ARGV[i]
    out[#out + 1] = values[i]
  end
end
return out
`;

/** KEYS last, seen. ARGV: what the names of regions begin with, gone before (13 digits). Takes out up to a thousand; answers how many. */
export const SWEEP = `
local sub = string.sub
local ids = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[2], 'LIMIT', 0, 1000)
if #ids == 0 then return 0 end
local values = redis.call('HMGET', KEYS[1], unpack(ids))
local gone = {}
for i = 1, #ids do
  local value = values[i]
  if value and sub(value, 14, 26) >= ARGV[2] then
    redis.call('ZADD', KEYS[2], sub(value, 14, 26), ids[i])
  else
    if value then redis.call('ZREM', ARGV[1] .. sub(value, 27, 41), ids[i]) end
    gone[#gone + 1] = ids[i]
  end
end
if #gone > 0 then
  redis.call('HDEL', KEYS[1], unpack(gone))
  redis.call('ZREM', KEYS[2], unpack(gone))
end
return #gone
`;

/** KEYS seen. ARGV: silent before. Answers how many there are, and how many of them are silent. */
export const COUNTS = `return {redis.call('ZCARD', KEYS[1]), redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[1])}`;
