import { toast } from './elements/toast';
import { language, setLanguage, t } from './texts';

/** Each language is named in itself. */
export function LanguageSwitch() {
  return (
    <div class="choices" role="group" aria-label={t.language}>
      {(
        [
          ['en', 'English'],
          ['ru', 'Русский'],
        ] as const
      ).map(([code, name]) => (
        <button
          key={code}
          type="button"
          lang={code}
          aria-pressed={language === code}
          onClick={() => void setLanguage(code).catch(() => toast(t.offline, 'exclamation'))}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
