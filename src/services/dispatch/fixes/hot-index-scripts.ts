// What the index does in Redis, each in one step. Keys of one tenant share a tag, and so a slot of a cluster: a worker who crosses
// the border of a region is taken out of one key and put into another at once.
//
//   …:last           hash: worker → value; and what must not be lost apart from it: "@built" (see STANDING), "@<region>" of each
//                    region that has workers
//   …:seen           sorted set: worker by the time of a fix, moved on once in thirty seconds
//   …:near:<region>  geo set: worker by place; names of regions are H3 cells
//
// A value is device time and receive time (thirteen digits each, which compare as texts do), region (fifteen), "lat|lng#cell".

/** Keys outlive the last fix of a tenant, or in a region, by that, should nobody be there to sweep. */
const IDLE_SECONDS = 900;
/** Whoever builds and has not been heard of for so long is taken for dead. */
const BUILDING_MS = 10_000;
/** Of each region so many are looked at in the first circle, then twice as many each time: mostly those are enough. */
const FIRST_COUNT = 200;
/** Workers of one step of a scan. */
const PAGE = 500;

/**
 * Whether all that should be there is: "WHOLE" by a marker that is lost with the rest; "BUILDING" while somebody builds it, which no
 * reader may take for the whole; "MINE": it was lost, or torn, and the caller is to build it, under a token by which its end is told
 * from the end of something that was lost again meanwhile. Of the first key.
 */
const STANDING = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function build(token)
  redis.call('HSET', KEYS[1], '@built', string.format('0%013.0f%s', now(), token))
  redis.call('EXPIRE', KEYS[1], ${IDLE_SECONDS})
  return 'MINE'
end
local function standing(marker, token, torn)
  if marker == '1' then return torn and build(token) or 'WHOLE' end
  if marker and now() - tonumber(string.sub(marker, 2, 14)) < ${BUILDING_MS} then return 'BUILDING' end
  return build(token)
end
local function isMine(token)
  local marker = redis.call('HGET', KEYS[1], '@built')
  return marker and string.sub(marker, 1, 1) == '0' and string.sub(marker, 15) == token
end
`;

/** A region that has workers and no geo set has lost it: of a server that may evict keys, or to somebody's hands. */
const TORN = `
local function isTorn(region, key)
  return redis.call('HEXISTS', KEYS[1], '@' .. region) == 1 and redis.call('EXISTS', key) == 0
end
local function leave(prefix, regions)
  for region in pairs(regions) do
    if redis.call('EXISTS', prefix .. region) == 0 then redis.call('HDEL', KEYS[1], '@' .. region) end
  end
end
`;

/**
 * KEYS last, seen. ARGV: what the names of regions begin with, start of the current thirty seconds, a token; then for each fix
 * worker, value, longitude, latitude. Answers: how many were newer, how many were not, and whether the caller is to build.
 */
export const APPLY = `${STANDING}${TORN}
local sub = string.sub
local n = (#ARGV - 3) / 4
local ids = {}
for i = 1, n do ids[i] = ARGV[4 * i] end
ids[n + 1] = '@built'
local stored = redis.call('HMGET', KEYS[1], unpack(ids))
local last, before, at, order, count, older = {}, {}, {}, {}, 0, 0
for i = 1, n do
  local id, b = ids[i], 4 * i
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
local values, seen, regions, gone, v, s = {}, {}, {}, {}, 0, 0
for i = 1, count do
  local id = order[i]
  local b, old, new = at[id], before[id], last[id]
  values[v + 1] = id
  values[v + 2] = new
  v = v + 2
  local to = sub(new, 27, 41)
  local places = regions[to]
  if not places then
    places = {}
    regions[to] = places
  end
  if sub(old, 27) ~= sub(new, 27) then
    local from = sub(old, 27, 41)
    if from ~= to and from ~= '' then
      gone[from] = gone[from] or {}
      table.insert(gone[from], id)
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
if s > 0 then
  redis.call('ZADD', KEYS[2], unpack(seen))
  redis.call('EXPIRE', KEYS[2], ${IDLE_SECONDS})
end
local torn = false
for region in pairs(regions) do torn = torn or isTorn(region, ARGV[1] .. region) end
for region in pairs(gone) do torn = torn or isTorn(region, ARGV[1] .. region) end
for region, who in pairs(gone) do redis.call('ZREM', ARGV[1] .. region, unpack(who)) end
for region, places in pairs(regions) do
  local key = ARGV[1] .. region
  if #places > 0 then
    redis.call('GEOADD', key, unpack(places))
    values[v + 1] = '@' .. region
    values[v + 2] = '1'
    v = v + 2
  end
  -- Also where everybody stands still: nothing is added then, and the set must not lapse under them.
  redis.call('EXPIRE', key, ${IDLE_SECONDS})
end
if v > 0 then
  redis.call('HSET', KEYS[1], unpack(values))
  redis.call('EXPIRE', KEYS[1], ${IDLE_SECONDS})
end
if not torn then leave(ARGV[1], gone) end
return {count, older, standing(stored[n + 1], ARGV[3], torn) == 'MINE' and 1 or 0}
`;

/** KEYS last. ARGV: a token. Says that its building goes on; 0: it is somebody else's, for what was built has been lost again. */
export const BUILDING = `${STANDING}
if not isMine(ARGV[1]) then return 0 end
build(ARGV[1])
return 1
`;

/**
 * KEYS last. ARGV: what the names of regions begin with, where the scan goes on (at first 0). Puts some workers, wherever they are
 * by their values, into their regions. Answers where it goes on (0: it is over), then regions of which it is said that they have
 * workers.
 */
export const PLACE = `
local page = redis.call('HSCAN', KEYS[1], ARGV[2], 'COUNT', ${PAGE})
local out, regions = {page[1]}, {}
for i = 1, #page[2], 2 do
  local id, value = page[2][i], page[2][i + 1]
  if string.sub(id, 1, 1) ~= '@' then
    local region = string.sub(value, 27, 41)
    local lat, lng = string.match(value, '^([^|]+)|([^#]+)#', 42)
    local places = regions[region]
    if not places then
      places = {}
      regions[region] = places
    end
    local p = #places
    places[p + 1] = lng
    places[p + 2] = lat
    places[p + 3] = id
  elseif id ~= '@built' then
    out[#out + 1] = string.sub(id, 2)
  end
end
for region, places in pairs(regions) do
  local key = ARGV[1] .. region
  -- A hash of few fields is scanned at once, however many those are.
  for from = 1, #places, 3000 do
    redis.call('GEOADD', key, unpack(places, from, math.min(from + 2999, #places)))
  end
  redis.call('EXPIRE', key, ${IDLE_SECONDS})
  redis.call('HSET', KEYS[1], '@' .. region, '1')
end
return out
`;

/**
 * KEYS last. ARGV: what the names of regions begin with, a token, regions. Nothing is lost any more, and regions in which nobody is
 * have no workers. 0: it is somebody else's to say, for what was built has been lost again.
 */
export const BUILT = `${STANDING}${TORN}
if not isMine(ARGV[2]) then return 0 end
local regions = {}
for i = 3, #ARGV do regions[ARGV[i]] = true end
leave(ARGV[1], regions)
redis.call('HSET', KEYS[1], '@built', '1')
redis.call('EXPIRE', KEYS[1], ${IDLE_SECONDS})
return 1
`;

/**
 * KEYS last, then the regions. ARGV: a token, longitude, latitude, fresh since (13 digits), how many fresh ones are enough, how many
 * are looked at in any case, then the circles in metres. Answers how it stands with the index; where that is whole, then whether
 * nobody else is in the last circle (1), and the values after their workers.
 */
export const NEARBY = `${STANDING}${TORN}
local sub = string.sub
local torn = false
for k = 2, #KEYS do torn = torn or isTorn(sub(KEYS[k], -15), KEYS[k]) end
local state = standing(redis.call('HGET', KEYS[1], '@built'), ARGV[1], torn)
if state ~= 'WHOLE' then return {state} end
local enough, atMost, circle, most = tonumber(ARGV[5]), tonumber(ARGV[6]), 7, ${FIRST_COUNT}
while true do
  local out, n, fresh, looked, cut = {state, '0'}, 2, 0, 0, false
  for k = 2, #KEYS do
    -- One more than may be looked at tells that there are more.
    local count = math.min(most, atMost + 1 - looked)
    if count <= 0 then break end
    local ids = redis.call('GEOSEARCH', KEYS[k], 'FROMLONLAT', ARGV[2], ARGV[3], 'BYRADIUS', ARGV[circle], 'm', 'ASC', 'COUNT', count)
    cut = cut or #ids == count
    looked = looked + #ids
    if #ids > 0 then
      local values = redis.call('HMGET', KEYS[1], unpack(ids))
      for i = 1, #ids do
        local value = values[i]
        if value then
          out[n + 1] = ids[i]
          out[n + 2] = value
          n = n + 2
          if sub(value, 1, 13) >= ARGV[4] and sub(value, 14, 26) >= ARGV[4] then fresh = fresh + 1 end
        end
      end
    end
  end
  local isLast = circle == #ARGV
  if fresh >= enough or looked > atMost or isLast and not cut then
    if isLast and not cut then out[2] = '1' end
    return out
  end
  if not isLast then circle = circle + 1 end
  most = most * 2
end
`;

/** KEYS last; ARGV a token, then workers. Answers as NEARBY does, of those. */
export const LAST = `${STANDING}
local out = {standing(redis.call('HGET', KEYS[1], '@built'), ARGV[1], false)}
if out[1] ~= 'WHOLE' then return out end
out[2] = '1'
local values = redis.call('HMGET', KEYS[1], unpack(ARGV, 2))
for i = 2, #ARGV do
  if values[i - 1] then
    out[#out + 1] = ARGV[i]
    out[#out + 1] = values[i - 1]
  end
end
return out
`;

/**
 * KEYS last, seen. ARGV: what the names of regions begin with, gone before (13 digits). Takes out up to a thousand. Answers how many,
 * and whether there may be more.
 */
export const SWEEP = `${TORN}
local sub = string.sub
local ids = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[2], 'LIMIT', 0, 1000)
if #ids == 0 then return {0, 0} end
local values = redis.call('HMGET', KEYS[1], unpack(ids))
local gone, left = {}, {}
for i = 1, #ids do
  local value = values[i]
  if value and sub(value, 14, 26) >= ARGV[2] then
    redis.call('ZADD', KEYS[2], sub(value, 14, 26), ids[i])
  else
    if value then
      local region = sub(value, 27, 41)
      if left[region] == nil then left[region] = not isTorn(region, ARGV[1] .. region) or nil end
      redis.call('ZREM', ARGV[1] .. region, ids[i])
    end
    gone[#gone + 1] = ids[i]
  end
end
if #gone > 0 then
  redis.call('HDEL', KEYS[1], unpack(gone))
  redis.call('ZREM', KEYS[2], unpack(gone))
end
leave(ARGV[1], left)
return {#gone, #ids == 1000 and 1 or 0}
`;

/** KEYS seen. ARGV: silent before. Answers how many there are, and how many of them are silent. */
export const COUNTS = `return {redis.call('ZCARD', KEYS[1]), redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[1])}`;
