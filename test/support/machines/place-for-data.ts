import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const ROOM_BYTES = 4 * 1024 ** 3

/** In Linux's memory, if it has room: to clone a database there takes 10 ms of processor time, on ext4 135 ms. */
export async function placeForData(): Promise<string> {
  const memory = '/dev/shm'
  const room = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return room > ROOM_BYTES ? memory : tmpdir()
}
