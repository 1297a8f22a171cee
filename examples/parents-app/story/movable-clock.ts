const DAY = 86_400_000

/* Loaded before the service: each message puts its clock, as `Date` shows it, a day ahead. */

let ahead = 0
const now = () => RealDate.now() + ahead
const RealDate = Date
globalThis.Date = new Proxy(RealDate, {
  construct: (date, time, subclass) => Reflect.construct(date, time.length === 0 ? [now()] : time, subclass),
  get: (date, key) => (key === 'now' ? now : Reflect.get(date, key)),
})

process.on('message', () => {
  ahead += DAY
  process.send?.('done')
})
// The channel alone does not keep the service alive.
process.channel?.unref()
