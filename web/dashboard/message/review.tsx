import { ConfirmDialog } from '../elements';
import { t } from '../texts';
import type { ContentDraft } from './content';
import { MessagePreview, type Person } from './message-preview';

/** The last look before a message is sent: what a real subscriber reads, who gets it, and when. */
export function Review(props: {
  title: string;
  confirm: string;
  draft: ContentDraft;
  channel: string;
  tag: string;
  person: Person | null;
  recipients: string;
  /** Of an audience. */
  count: number | null;
  when: string;
  dates: string[];
  /** What cannot be undone. */
  warning: string | null;
  act: () => Promise<unknown>;
  onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={props.title}
      confirm={props.confirm}
      dismiss={t.goBack}
      kind="primary"
      optional
      act={props.act}
      onClose={props.onClose}
    >
      <div class="review">
        <dl class="facts">
          <dt>{t.recipients}</dt>
          <dd>
            {props.recipients}
            {props.count !== null && <strong class="below">{t.audienceCount(props.count)}</strong>}
          </dd>
          <dt>{t.when}</dt>
          <dd>
            {props.when}
            {props.dates.length > 0 && <span class="hint below">{t.nextTimes(props.dates.join(' · '))}</span>}
          </dd>
        </dl>
        <MessagePreview draft={props.draft} channel={props.channel} tag={props.tag} person={props.person} />
        {props.warning && <p class="hint">{props.warning}</p>}
      </div>
    </ConfirmDialog>
  );
}
