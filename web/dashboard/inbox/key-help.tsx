import { words } from './texts';

const KEYS = ['j', 'k', 'r', 'n', 'e'] as const;

export function KeyHelp() {
  const w = words();
  return (
    <p class="hint key-help">
      {w.keys}{' '}
      {KEYS.map((key) => (
        <span key={key}>
          <kbd>{key}</kbd> {w.keyNames[key]}
        </span>
      ))}
    </p>
  );
}
