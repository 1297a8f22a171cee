import { createSocket } from 'node:dgram'
import dns from 'node:dns'
import { isIPv4 } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * A DNS server for one test, which this process then asks: it answers `A` questions with the addresses of the name, those
 * after the first question with `later` if given, and everything else with nothing. Names without addresses get no response.
 */
export async function useDns(
  names: Record<string, { first: string[]; later?: string[] }>,
): Promise<{ asked: string[] }> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const labels: string[] = []
    let at = 12
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const name = labels.join('.')
    const known = names[name]
    if (!known) return
    const isA = question.readUInt16BE(at + 1) === 1
    const { first, later = first } = known
    const addresses = isA ? (asked.includes(name) ? later : first).filter(isIPv4) : []
    if (isA) asked.push(name)
    const head = Buffer.from(question.subarray(0, at + 5))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(addresses.length, 6)
    head.fill(0, 8, 12)
    const records = addresses.map((each) =>
      // The name of the question, type A, class IN, a TTL of 0, four bytes.
      Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...each.split('.').map(Number)]),
    )
    socket.send(Buffer.concat([head, ...records]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const before = dns.getServers()
  dns.setServers([`127.0.0.1:${socket.address().port}`])
  onTestFinished(() => {
    dns.setServers(before)
    socket.close()
  })
  return { asked }
}
