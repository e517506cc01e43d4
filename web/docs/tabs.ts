/** A language chosen in one block holds for all blocks and for later visits. */
export function setUpTabs(): void {
  const root = document.documentElement;
  const inputs = [...document.querySelectorAll<HTMLInputElement>('.languages input')];
  const check = (language: string) => {
    for (const input of inputs) if (input.value === language) input.checked = true;
  };
  if (root.dataset['language'] !== undefined) check(root.dataset['language']);
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.closest('.languages')) return;
    // The blocks above may change their height: the one in use stays where it is.
    const before = target.getBoundingClientRect().top;
    root.dataset['language'] = target.value;
    check(target.value);
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' });
    try {
      localStorage.setItem('herald-docs-language', target.value);
    } catch {
      // Storage is blocked: the choice holds for this page.
    }
  });
}
