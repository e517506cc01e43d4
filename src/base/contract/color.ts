/** The text colour on a background `#rrggbb`: white where its contrast is enough for text (WCAG AA), otherwise black. */
export function inkOn(color: string): '#ffffff' | '#000000' {
  // The two contrasts multiply to 21, so one of them is always above 4.5.
  return 1.05 / (luminance(color) + 0.05) >= 4.5 ? '#ffffff' : '#000000';
}

/** Relative luminance by WCAG: 0 for black, 1 for white. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
