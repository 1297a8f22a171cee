export { ScanByCamera as ScanCode } from './scan-by-camera'
