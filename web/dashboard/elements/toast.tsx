import { useEffect, useState } from 'preact/hooks';
import type { IconName } from '../../shared/icons';
import { Icon } from './basics';

const SHOWN_MS = 6_000;
let show: (text: string, icon: IconName) => void = () => {};

/** Confirms an action in a corner of the page for a few seconds. Errors are shown in place instead, where there is one, and stay. */
export function toast(text: string, icon: IconName = 'checkCircle'): void {
  show(text, icon);
}

export function Toasts() {
  const [toasts, setToasts] = useState<{ id: number; text: string; icon: IconName }[]>([]);
  useEffect(() => {
    let id = 0;
    show = (text, icon) => {
      id += 1;
      const added = { id, text, icon };
      setToasts((before) => [...before.slice(-2), added]);
      setTimeout(() => setToasts((before) => before.filter((other) => other !== added)), SHOWN_MS);
    };
  }, []);
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, text, icon }) => (
        <p key={id} class="toast">
          <Icon name={icon} small /> {text}
        </p>
      ))}
    </div>
  );
}
