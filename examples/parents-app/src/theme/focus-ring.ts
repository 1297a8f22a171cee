/** Phones draw one of their own. */
export function drawFocusRing(): void {}
