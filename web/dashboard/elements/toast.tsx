import { useEffect, useState } from 'preact/hooks';
import { Icon } from './basics';

const SHOWN_MS = 6_000;
let show: (text: string) => void = () => {};

/** Confirms an action in a corner of the page for a few seconds. Errors are shown in place instead, and stay. */
export function toast(text: string): void {
  show(text);
}

export function Toasts() {
  const [toasts, setToasts] = useState<{ id: number; text: string }[]>([]);
  useEffect(() => {
    let id = 0;
    show = (text) => {
      id += 1;
      const added = { id, text };
      setToasts((before) => [...before.slice(-2), added]);
      setTimeout(() => setToasts((before) => before.filter((other) => other !== added)), SHOWN_MS);
    };
  }, []);
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, text }) => (
        <p key={id} class="toast">
          <Icon name="checkCircle" small /> {text}
        </p>
      ))}
    </div>
  );
}
