/** Phones draw their own focus ring. */
export function drawFocusRing(): void {}
