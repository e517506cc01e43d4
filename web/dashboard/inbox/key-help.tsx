import { can } from '../access';
import { words } from './texts';

/** A person who only reads can do nothing else. */
const keys = () => (can('helpdesk') ? (['j', 'k', 'r', 'n', 'e'] as const) : (['j', 'k'] as const));

export function KeyHelp() {
  const w = words();
  return (
    <p class="hint key-help">
      {w.keys}{' '}
      {keys().map((key) => (
        <span key={key}>
          <kbd>{key}</kbd> {w.keyNames[key]}
        </span>
      ))}
    </p>
  );
}
