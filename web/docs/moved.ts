/** /docs/reference#<operation> was the address of an operation: leads on to its own page. */
export function setUpMovedAnchors(): void {
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const link =
      id === '' ? null : document.getElementById(id)?.closest('[data-moved] > li')?.querySelector('a');
    if (link) location.replace(link.href);
  };
  follow();
  addEventListener('hashchange', follow);
}
