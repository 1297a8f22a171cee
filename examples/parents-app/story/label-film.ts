import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'

const WIDTH = 640
const HEIGHT = 480
const WHITE = 235
const BLACK = 16

/** Writes what a camera sees that is held before the QR code of a label: one frame, which Chromium repeats. */
export async function writeLabelVideo(file: string, text: string): Promise<void> {
  const wasm = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm')
  const { buffer } = new Uint8Array(await readFile(wasm))
  await prepareZXingModule({ overrides: { wasmBinary: buffer }, fireImmediately: true })
  const { symbol, error } = await writeBarcode(text, { format: 'QRCode', ecLevel: 'M' })
  if (!symbol) throw new Error(error)
  const side = Math.floor((HEIGHT * 0.8) / symbol.width)
  const [left, top] = [WIDTH, HEIGHT].map((all) => Math.floor((all - side * symbol.width) / 2))
  const luma = Buffer.alloc(WIDTH * HEIGHT, WHITE)
  for (let y = 0; y < side * symbol.height; y += 1)
    for (let x = 0; x < side * symbol.width; x += 1) {
      const module = symbol.data[Math.floor(y / side) * symbol.width + Math.floor(x / side)]
      if (module === 0) luma[(y + (top ?? 0)) * WIDTH + x + (left ?? 0)] = BLACK
    }
  const colourless = Buffer.alloc(luma.length / 2, 128)
  const head = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F5:1 Ip A1:1 C420jpeg\nFRAME\n`
  await writeFile(file, Buffer.concat([Buffer.from(head), luma, colourless]))
}
