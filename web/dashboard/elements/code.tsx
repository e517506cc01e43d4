import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts';
import { Icon } from './basics';

const COPIED_MS = 2_000;

export function CopyButton({ text, label, quiet }: { text: string; label?: string; quiet?: boolean }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button
      type="button"
      class={`btn small copy ${quiet ? 'quiet' : ''}`}
      aria-label={label ?? t.copy}
      title={label ?? t.copy}
      onClick={() => void copy().catch(() => setCopied(false))}
    >
      <Icon name={copied ? 'check' : 'clipboard'} small />
      <span role="status">{copied ? t.copied : quiet ? '' : (label ?? t.copy)}</span>
    </button>
  );
}

/** An address that breaks between its parts, after a slash; browsers break it inside its words. */
export function Address({ url }: { url: string }) {
  return (
    <>
      {url.split(/(?<=\/)/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** An id or an address with a button to copy it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <span class="copyable">
      <code>
        <Address url={text} />
      </code>
      <CopyButton text={text} label={label} quiet />
    </span>
  );
}

export function CodeBlock({ code, label }: { code: string; label?: string }) {
  return (
    <div class="code-block">
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={label ?? t.copy} quiet />
    </div>
  );
}

/** Formatted for reading; raw shows the bytes as they are signed. */
export function JsonBlock({ raw, label }: { raw: string; label: string }) {
  const [isRaw, setRaw] = useState(false);
  const pretty = prettyJson(raw);
  return (
    <>
      <div class="tabs" role="group" aria-label={t.bodyFormat}>
        <button type="button" class="btn small" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
          {t.bodyFormatted}
        </button>
        <button type="button" class="btn small" aria-pressed={isRaw} onClick={() => setRaw(true)}>
          {t.bodyRaw}
        </button>
      </div>
      <div class="code-block">
        <pre tabIndex={0}>
          {isRaw || pretty === null ? <code>{raw}</code> : <code>{highlighted(pretty)}</code>}
        </pre>
        <CopyButton text={raw} label={label} quiet />
      </div>
    </>
  );
}

function prettyJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Names, texts and other values in colours of their own. */
function highlighted(json: string) {
  const parts = [];
  let end = 0;
  for (const found of json.matchAll(TOKEN)) {
    const [whole, text, colon] = found;
    parts.push(json.slice(end, found.index));
    const kind = text === undefined ? 'json-value' : colon === undefined ? 'json-text' : 'json-name';
    parts.push(
      <span key={found.index} class={kind}>
        {whole}
      </span>,
    );
    end = found.index + whole.length;
  }
  return [...parts, json.slice(end)];
}
