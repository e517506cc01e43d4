import { useState } from 'preact/hooks';
import { can } from '../access';
import {
  ActionButton,
  Badge,
  ChannelName,
  ConfirmDialog,
  Empty,
  Icon,
  Pager,
  Problem,
  Time,
  toast,
  type Tone,
} from '../elements';
import { number } from '../format';
import { PersonLink, useSubscribers, type KnownSubscribers } from '../people';
import { useResource } from '../resource';
import { Link, useFilters, usePages } from '../router';
import { language, t } from '../texts';
import { formsApi, type FormView, type Submission, type SubmissionStatus } from './api';
import { draftOf } from './draft';
import { countText } from './list';
import { actionText, labelIn } from './rules-text';
import { words } from './texts';

const REFRESH_MS = 5_000;
const folders = ['new', 'spam'] as const;

/** What people have answered, newest first, in two folders. */
export function Submissions({ form }: { form: FormView }) {
  const w = words();
  const id = form.form_id;
  const pages = usePages();
  const filters = useFilters(['status'] as const);
  const status: SubmissionStatus = filters.values.status === 'spam' ? 'spam' : 'new';
  const found = useResource(
    () => formsApi.submissions(id, { status, cursor: pages.cursor }),
    `${id} ${status} ${pages.cursor ?? ''}`,
    REFRESH_MS,
  );
  const stats = useResource(formsApi.stats, id, REFRESH_MS);
  const counts = stats.data?.data.find(({ form_id }) => form_id === id);
  const [deleting, setDeleting] = useState<Submission | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const list = found.data?.data;
  const known = useSubscribers((list ?? []).map(({ subscriber_id }) => subscriber_id));
  const reload = () => Promise.all([found.reload(), stats.reload()]);
  const move = async (submission: Submission, to: SubmissionStatus) => {
    await formsApi.move(submission.submission_id, to);
    toast(to === 'new' ? w.movedOut : w.movedIn);
    await reload();
  };
  return (
    <>
      <div class="tabs" role="group" aria-label={w.folder}>
        {folders.map((folder) => (
          <button
            key={folder}
            type="button"
            class="btn small"
            aria-pressed={folder === status}
            onClick={() => filters.set('status', folder === 'new' ? '' : folder)}
          >
            {w.folders[folder]} {counts && <span class="figure">{countText(counts[folder])}</span>}
          </button>
        ))}
      </div>
      <Problem error={error ?? found.error} />
      {list?.length === 0 &&
        (status === 'spam' ? (
          <Empty icon="clipboardList" title={w.noSpam} text={w.noSpamText} />
        ) : (
          <Empty icon="clipboardList" title={w.noSubmissions} text={w.noSubmissionsText}>
            <p class="buttons">
              <Link to={`/dashboard/forms/${id}/share`} class="btn">
                <Icon name="linkSmall" small /> {w.share}
              </Link>
            </p>
          </Empty>
        ))}
      <div class="submissions">
        {list?.map((submission) => (
          <article key={submission.submission_id} class="panel submission">
            <SubmissionHead submission={submission} known={known} />
            <Answers form={form} answers={submission.answers} />
            <Outcomes form={form} submission={submission} />
            {can('manage') && (
              <p class="buttons">
                <ActionButton
                  small
                  act={() => move(submission, status === 'spam' ? 'new' : 'spam')}
                  onError={setError}
                >
                  {status === 'spam' ? w.notSpam : w.markSpam}
                </ActionButton>
                <button type="button" class="btn small" onClick={() => setDeleting(submission)}>
                  {w.deleteSubmission}
                </button>
              </p>
            )}
          </article>
        ))}
      </div>
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
      {deleting && (
        <ConfirmDialog
          title={w.deleteSubmissionTitle}
          text={w.deleteSubmissionText}
          confirm={t.delete}
          act={async () => {
            await formsApi.removeSubmission(deleting.submission_id);
            toast(w.submissionDeleted);
            await reload();
          }}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  );
}

function SubmissionHead({ submission, known }: { submission: Submission; known: KnownSubscribers }) {
  const w = words();
  const { subscriber_id, channel } = submission;
  return (
    <header>
      <span class="who">
        {subscriber_id === null ? (
          <span class="hint">{w.someone}</span>
        ) : (
          <>
            <PersonLink id={subscriber_id} known={known} /> <ChannelName channel={channel} />
          </>
        )}
      </span>
      <span class="hint">{w.sources[submission.source]}</span>
      <Time at={submission.created_at} />
    </header>
  );
}

/** In the order of the form; what was asked earlier and is no longer a field comes last. */
function Answers({ form, answers }: { form: FormView; answers: Submission['answers'] }) {
  const w = words();
  const removed = Object.keys(answers).filter((key) => form.fields.every((field) => field.key !== key));
  return (
    <dl class="facts answers">
      {form.fields.map((field) => {
        const answer = answers[field.key];
        return (
          <div key={field.key}>
            <dt>{labelIn(language, field)}</dt>
            <dd>
              {answer === undefined ? (
                <span class="hint">{w.noAnswer}</span>
              ) : (
                <bdi>{answerText(answer, field.options ?? [])}</bdi>
              )}
            </dd>
          </div>
        );
      })}
      {removed.map((key) => (
        <div key={key}>
          <dt>{w.removedField(key)}</dt>
          <dd>
            <bdi>{answerText(answers[key] ?? '', [])}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function answerText(
  answer: Submission['answers'][string],
  options: NonNullable<FormView['fields'][number]['options']>,
): string {
  const w = words();
  const shown = (value: string) => {
    const option = options.find((each) => each.value === value);
    return option ? labelIn(language, option) || value : value;
  };
  if (typeof answer === 'boolean') return answer ? w.yes : w.no;
  if (typeof answer === 'number') return number(answer);
  return Array.isArray(answer) ? answer.map(shown).join(', ') : shown(answer);
}

const tones: Record<Submission['routes'][number]['status'], Tone> = {
  done: 'good',
  skipped: 'neutral',
  failed: 'bad',
};

/** What each action has done; the form can have been changed since. */
function Outcomes({ form, submission }: { form: FormView; submission: Submission }) {
  const w = words();
  if (submission.routes.length === 0) return null;
  const { routes } = draftOf(form);
  return (
    <ul class="outcomes" aria-label={w.outcome}>
      {submission.routes.map(({ index, action, status, reason }) => {
        const route = routes[index];
        const named = route?.action === action ? actionText(route) : w.actions[action];
        return (
          <li key={index}>
            <span>{named}</span> <Badge tone={tones[status]}>{w.outcomes[status]}</Badge>{' '}
            {reason !== null && <span class="hint">{outcomeReason(reason)}</span>}
          </li>
        );
      })}
    </ul>
  );
}

function outcomeReason(reason: string): string {
  const known = t.sendReasons as Record<string, string | undefined>;
  return words().reasons[reason] ?? known[reason] ?? reason;
}
