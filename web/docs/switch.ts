/** The switch leads to the same place of the page: both languages have the same anchors. */
export function setUpSwitch(): void {
  const link = document.querySelector<HTMLAnchorElement>('a.translation');
  link?.addEventListener('click', () => (link.hash = location.hash));
}
