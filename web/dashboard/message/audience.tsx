import { limits } from '../../../src/base/contract/limits';
import { api, type Audience, type AudienceView } from '../api';
import { Combobox, FieldError, Icon, matching, RemovableChip, useLabels } from '../elements';
import { messengerName, messengers } from '../messengers';
import { capitalised } from '../format';
import { pageTexts } from '../page-texts';
import { useResource, useSettled } from '../resource';
import { t } from '../texts';

/** Who gets a message, as it is chosen. */
export interface AudienceDraft {
  /** Empty: all. */
  channel: string;
  tagsAll: string[];
  tagsAny: string[];
  excludeTags: string[];
  /** Empty: none is needed. */
  permission: string;
  /** What is typed and not chosen yet. */
  typed: string;
}

export const emptyAudience: AudienceDraft = {
  channel: '',
  tagsAll: [],
  tagsAny: [],
  excludeTags: [],
  permission: '',
  typed: '',
};

/** The fields that the API can name in an error. */
export const audienceFields = ['channel', 'tags_all', 'tags_any', 'exclude_tags', 'permission'] as const;
export type AudienceField = (typeof audienceFields)[number];

export function audienceOf(draft: AudienceDraft): Audience {
  return {
    ...(draft.channel === '' ? {} : { channel: draft.channel }),
    ...(draft.permission === '' ? {} : { permission: draft.permission }),
    tags_all: draft.tagsAll,
    tags_any: draft.tagsAny,
    exclude_tags: draft.excludeTags,
  };
}

/** Without the condition that is still being typed, the message would go to more people than was meant. */
export function refuseUnfinished({ typed }: AudienceDraft): void {
  if (typed.trim() !== '') throw new FieldError('tags_all', t.chooseCondition);
}

/** A stored audience, to be edited. */
export function audienceDraft(audience: AudienceView): AudienceDraft {
  return {
    channel: audience.channel ?? '',
    tagsAll: audience.tags_all ?? [],
    tagsAny: audience.tags_any ?? [],
    excludeTags: audience.exclude_tags ?? [],
    permission: audience.permission ?? '',
    typed: '',
  };
}

/** Who gets it, in words. */
export function audienceText(audience: AudienceView): string {
  const { channel, tagsAll, tagsAny, excludeTags, permission } = audienceDraft(audience);
  const conditions = [
    channel && t.onlyMessenger(messengerName(channel)),
    tagsAll.length > 0 && pageTexts().taggedAll(tagsAll),
    tagsAny.length > 0 && pageTexts().taggedAny(tagsAny),
    excludeTags.length > 0 && pageTexts().notTagged(excludeTags),
    permission && t.permitted(permission),
  ].filter(Boolean);
  return conditions.length === 0 ? t.everyone : capitalised(conditions.join(' · '));
}

interface Condition {
  key: string;
  text: string;
  part: Partial<AudienceDraft>;
}

/** With nothing typed, a few tags are enough to show what can be chosen. */
const FEW = 4;

/** What can be added to the audience, by what is typed. A tag that no subscriber has yet can be typed too. */
function conditionsFor(draft: AudienceDraft, labels: { tags: string[]; permissions: string[] }): Condition[] {
  const { typed } = draft;
  const name = typed.trim();
  const few = (names: string[]) => (name === '' ? names.slice(0, FEW) : names);
  const channels = messengers()
    .map(({ channel }) => channel)
    .filter((channel) => draft.channel === '' && matching([messengerName(channel)], typed).length > 0)
    .map((channel) => ({
      key: `c-${channel}`,
      text: t.onlyMessenger(messengerName(channel)),
      part: { channel },
    }));
  const used = [...draft.tagsAll, ...draft.tagsAny, ...draft.excludeTags];
  const tags = few(matching(labels.tags, typed).filter((tag) => !used.includes(tag)));
  if (name !== '' && ![...tags, ...used].includes(name)) tags.push(name);
  const ofTags = tags.flatMap((tag) => [
    { key: `a-${tag}`, text: t.hasTag(tag), part: { tagsAll: [...draft.tagsAll, tag] } },
    { key: `o-${tag}`, text: t.hasAnyTag(tag), part: { tagsAny: [...draft.tagsAny, tag] } },
    { key: `n-${tag}`, text: t.hasNoTag(tag), part: { excludeTags: [...draft.excludeTags, tag] } },
  ]);
  const permissions = draft.permission === '' ? few(matching(labels.permissions, typed)) : [];
  const ofPermissions = permissions.map((permission) => ({
    key: `p-${permission}`,
    text: t.hasPermission(permission),
    part: { permission },
  }));
  return [...channels, ...ofTags, ...ofPermissions];
}

/** The conditions as they stand, each with what takes it away. */
function chosen(draft: AudienceDraft): Condition[] {
  const { channel, permission } = draft;
  const tagged = (field: 'tagsAll' | 'tagsAny' | 'excludeTags', text: (tag: string) => string) =>
    draft[field].map((tag) => ({
      key: `${field}-${tag}`,
      text: text(tag),
      part: { [field]: draft[field].filter((other) => other !== tag) },
    }));
  return [
    ...(channel
      ? [{ key: 'channel', text: t.onlyMessenger(messengerName(channel)), part: { channel: '' } }]
      : []),
    ...tagged('tagsAll', t.hasTag),
    ...tagged('tagsAny', t.hasAnyTag),
    ...tagged('excludeTags', t.hasNoTag),
    ...(permission
      ? [{ key: 'permission', text: t.hasPermission(permission), part: { permission: '' } }]
      : []),
  ];
}

/** The audience as chips, with one field that suggests messengers, tags and permissions, and a live count. */
export function AudienceEditor(props: {
  draft: AudienceDraft;
  change: (part: Partial<AudienceDraft>) => void;
  problemOf: (field: AudienceField) => string | null;
}) {
  const { draft, change, problemOf } = props;
  const labels = { tags: useLabels('tags'), permissions: useLabels('permissions') };
  const conditions = chosen(draft);
  const problems = audienceFields.map(problemOf).filter((problem) => problem !== null);
  return (
    <div class="chip-field">
      <p class="chips">
        {conditions.length === 0 && <span class="chip">{t.everyone}</span>}
        {conditions.map(({ key, text, part }) => (
          <RemovableChip key={key} text={text} remove={t.removeNamed(text)} act={() => change(part)} />
        ))}
      </p>
      <Combobox
        label={t.narrowAudience}
        hint={t.narrowAudienceHint}
        error={problems.length > 0 ? problems.join(' ') : null}
        maxLength={limits.tagLength}
        value={draft.typed}
        suggestions={conditionsFor(draft, labels)}
        onInput={(typed) => change({ typed })}
        onPick={({ part }) => change({ ...part, typed: '' })}
      />
      <AudienceCount draft={draft} />
    </div>
  );
}

/** How many subscribers the audience has, counted by the API shortly after the last change. */
function AudienceCount({ draft }: { draft: AudienceDraft }) {
  const wanted = JSON.stringify(audienceOf(draft));
  const settled = useSettled(wanted);
  const counted = useResource(
    () => api.broadcast({ text: 'count', ...(JSON.parse(settled) as Audience), dry_run: true }),
    settled,
  );
  return (
    <p class="audience" role="status">
      <Icon name="users" small />{' '}
      {counted.error ? '–' : counted.data ? t.audienceCount(counted.data.total_subscribers) : t.counting}
    </p>
  );
}
