const SHOWN_MS = 1_500;

/** The buttons that copy a block of code. */
export function setUpCopy(): void {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('.copy') : null;
    const panes = button?.closest('.code')?.querySelectorAll('pre') ?? [];
    const shown = [...panes].find((pane) => pane.offsetParent !== null);
    if (!button || !shown) return;
    void copy(shown).then(() => confirm(button));
  });
}

async function copy(pane: HTMLElement): Promise<void> {
  // Browsers offer the clipboard on https and localhost only; elsewhere the older command copies a selection.
  if (isSecureContext) return navigator.clipboard.writeText(pane.textContent ?? '');
  getSelection()?.selectAllChildren(pane);
  document.execCommand('copy');
}

function confirm(button: HTMLButtonElement): void {
  const label = (button.dataset['label'] ??= button.textContent ?? '');
  button.textContent = button.dataset['done'] ?? label;
  setTimeout(() => (button.textContent = label), SHOWN_MS);
}
