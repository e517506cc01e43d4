import type { Subscriber } from '../api';
import { RemovableChip } from '../elements';
import { t } from '../texts';
import { AudienceEditor, emptyAudience, type AudienceDraft, type AudienceField } from './audience';
import { PersonField, type Person } from './message-preview';
import { personText } from './people';

/** Who gets the message: an audience, or one person. */
export interface RecipientsDraft extends AudienceDraft {
  to: 'audience' | 'person';
  person: Person | null;
}

export const emptyRecipients: RecipientsDraft = { ...emptyAudience, to: 'audience', person: null };

/** What is kept of a subscriber in a draft. */
export const personOf = ({ subscriber_id, first_name, username, channel, lang }: Subscriber): Person => ({
  subscriber_id,
  first_name,
  username,
  channel,
  lang,
});

export function RecipientsEditor(props: {
  draft: RecipientsDraft;
  change: (part: Partial<RecipientsDraft>) => void;
  problemOf: (field: AudienceField | 'subscriber_id') => string | null;
}) {
  const { draft, change } = props;
  return (
    <>
      <div class="tabs" role="group" aria-label={t.recipients}>
        {(['audience', 'person'] as const).map((to) => (
          <button
            key={to}
            type="button"
            class="btn"
            aria-pressed={draft.to === to}
            onClick={() => change({ to })}
          >
            {t.recipientKinds[to]}
          </button>
        ))}
      </div>
      {draft.to === 'audience' ? (
        <AudienceEditor draft={draft} change={change} problemOf={props.problemOf} />
      ) : (
        <div class="chip-field">
          {draft.person && (
            <p class="chips">
              <RemovableChip
                text={personText(draft.person)}
                remove={t.removeNamed(draft.person.first_name)}
                act={() => change({ person: null })}
              />
            </p>
          )}
          <PersonField
            label={t.findPerson}
            error={props.problemOf('subscriber_id')}
            onPick={(person) => change({ person: personOf(person) })}
          />
        </div>
      )}
    </>
  );
}
