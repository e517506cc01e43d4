import { useRef, useState } from 'preact/hooks';
import { currentProject } from '../api';
import { Dialog } from '../elements';
import { useLeaveGuard } from '../router';
import { t } from '../texts';
import { DRAFTS, removeVersions, store, stored } from './draft-storage';

/**
 * A draft that this browser keeps under a name, for each project: neither a reload, nor Back, nor signing in again loses
 * it. A tab reads its own draft first, so that two tabs do not write into each other's text. A draft of an earlier `version`
 * is not restored.
 */
export function useDraft<D extends object>(name: string, initial: D, version?: number) {
  const family = `${DRAFTS}${currentProject()}.${name}`;
  const key = version === undefined ? family : `${family}.${version}`;
  const [draft, setDraft] = useState<D>(() => ({ ...initial, ...(stored(key) ?? {}) }));
  const [isRestored, setRestored] = useState(() => stored(key) !== null);
  const latest = useRef(draft);
  /** Since the page was opened: what was kept before is not asked about again. */
  const isTouched = useRef(false);
  return {
    draft,
    isRestored,
    isTouched: () => isTouched.current,
    change(part: Partial<D>) {
      latest.current = { ...latest.current, ...part };
      isTouched.current = true;
      setDraft(latest.current);
      // At once, and not in an effect: a reload right after the last key would come before it.
      store(key, latest.current);
    },
    /** After it was saved or sent. */
    forget() {
      isTouched.current = false;
      store(key, null);
      removeVersions(family);
    },
    /** Back to the beginning. */
    discard() {
      isTouched.current = false;
      store(key, null);
      latest.current = initial;
      setDraft(initial);
      setRestored(false);
    },
  };
}

export type KeptDraft<D extends object> = ReturnType<typeof useDraft<D>>;

/** Asks before a page with a changed draft is left, and says that a kept one was restored. */
export function DraftKeeper({
  kept,
}: {
  kept: Pick<KeptDraft<object>, 'isRestored' | 'isTouched' | 'discard' | 'forget'>;
}) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useLeaveGuard((go) => {
    if (!kept.isTouched()) return false;
    setLeave(() => go);
    return true;
  });
  return (
    <>
      {kept.isRestored && (
        <p class="note restored" role="status">
          <span>{t.draftRestored}</span>
          <button type="button" class="btn small" onClick={kept.discard}>
            {t.discardDraft}
          </button>
        </p>
      )}
      {leave && (
        <Dialog title={t.leaveTitle} onClose={() => setLeave(null)}>
          <p>{t.leaveText}</p>
          <p class="buttons end">
            <button
              type="button"
              class="btn"
              onClick={() => {
                kept.forget();
                leave();
              }}
            >
              {t.discardDraft}
            </button>
            <button type="button" class="btn" onClick={leave}>
              {t.leaveAndKeep}
            </button>
            <button type="button" class="btn primary" autofocus onClick={() => setLeave(null)}>
              {t.keepEditing}
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}
