import { useEffect, useState } from 'preact/hooks';
import { CopyButton, MessengerIcon, Problem } from '../elements';
import { helpdesk } from '../helpdesk-api';
import { messengerLinks } from '../messengers';
import { useResource } from '../resource';
import { t } from '../texts';
import { words } from './texts';

/** The links that open the bot at the project's support; `codes` shows them as QR codes too. */
export function SupportLinks({ codes = false }: { codes?: boolean }) {
  const w = words();
  const found = useResource(helpdesk.links, 'links');
  const links = found.data ? messengerLinks(found.data) : [];
  return (
    <>
      <Problem error={found.error} />
      {found.data && links.length === 0 && <p class="hint">{w.noLinks}</p>}
      <ul class="support-links">
        {links.map(({ channel, name, link }) => (
          <li key={channel}>
            {codes && <QrCode text={link} label={w.qrAlt(name)} />}
            <p class="copyable">
              <MessengerIcon channel={channel} />
              <span class="visually-hidden">{name}</span>
              <code>{link}</code>
              <CopyButton text={link} label={t.copyLink} quiet />
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Light squares around it, without which some cameras do not find it. */
const QUIET = 4;

function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isShown = true;
    // Loaded where a code is shown only.
    void import('qrcode').then(({ create }) => {
      const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
      const path = Array.from(data)
        .map((dark, at) => (dark ? `M${at % size} ${Math.floor(at / size)}h1v1h-1z` : ''))
        .join('');
      if (isShown) setCode({ size, path });
    });
    return () => {
      isShown = false;
    };
  }, [text]);
  if (!code) return <span class="qr" aria-hidden="true" />;
  const side = code.size + 2 * QUIET;
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}>
      <rect x={-QUIET} y={-QUIET} width={side} height={side} fill="#fff" />
      <path d={code.path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
