import { Copyable, MessengerIcon, Problem } from '../elements';
import { QrCode } from '../elements/qr-code';
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
            <p>
              <MessengerIcon channel={channel} /> <span class="visually-hidden">{name}</span>{' '}
              <Copyable text={link} label={t.copyLink} />
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
