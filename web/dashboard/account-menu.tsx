import { useEffect, useRef, useState } from 'preact/hooks';
import type { DashboardSession } from './api';
import { Icon } from './elements';
import { LanguageSwitch } from './language-switch';
import { Link } from './router';
import { t } from './texts';
import { setTheme, theme, themes } from './theme';

/** What belongs to the person and not to the project. */
export function AccountMenu(props: {
  session: DashboardSession;
  onLeave: () => void;
  onSignOut: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event) => {
      if (!whole.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    document.addEventListener('focusin', closeOutside);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('focusin', closeOutside);
    };
  }, [isOpen]);
  return (
    <div
      ref={whole}
      class="account-menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        aria-controls="account-menu"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="userCircle" />
        <span class="clip">{props.session.account?.first_name ?? t.signedInByKey}</span>
        <Icon name="chevronUpDown" small />
        <span class="visually-hidden">{t.accountMenu}</span>
      </button>
      <div id="account-menu" class="account-options" hidden={!isOpen}>
        <Link
          to="/dashboard/account"
          onClick={() => {
            setOpen(false);
            props.onLeave();
          }}
        >
          <Icon name="login" /> {t.account}
        </Link>
        <LanguageSwitch />
        <ThemeSwitch />
        <button type="button" onClick={props.onSignOut}>
          <Icon name="signOut" /> {t.signOut}
        </button>
      </div>
    </div>
  );
}

function ThemeSwitch() {
  const [shown, setShown] = useState(theme);
  return (
    <div class="choices" role="group" aria-label={t.theme}>
      {themes.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={shown === each}
          onClick={() => {
            setTheme(each);
            setShown(each);
          }}
        >
          {t.themes[each]}
        </button>
      ))}
    </div>
  );
}
