import { useEffect, useRef } from 'preact/hooks';

const TYPING = 'input:not([type=checkbox]), textarea, select, [contenteditable]';

/** Acts on single keys, by their place on the keyboard where it has other letters; not while something is typed or a dialog is open. */
export function useKeys(actions: Record<string, () => void>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if ((event.target as Element).closest(TYPING) || document.querySelector('dialog[open]')) return;
      const isLatin = /^[a-z]$/i.test(event.key);
      const act = latest.current[(isLatin ? event.key : event.code.replace(/^Key/, '')).toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
