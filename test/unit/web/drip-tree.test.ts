import fc from 'fast-check';
import {
  inserted,
  listOf,
  moved,
  removed,
  treeOf,
  type Column,
  type HasStep,
} from '../../../web/dashboard/pages/drip-tree';
import { runs } from '../../support/fuzz';

type Step = HasStep['step'];

const send = (id: string): Step => ({ id, type: 'send', content: { text: id } });
const end = (id: string): Step => ({ id, type: 'end' });
const condition = (id: string, target: string): Step => ({
  id,
  type: 'condition',
  if: { rules: [{ tag: 'vip' }] },
  else: target,
});
const drafts = (steps: Step[]): HasStep[] => steps.map((step, key) => ({ key, step }));
const newEnd = (taken: HasStep[]): HasStep => ({
  key: 1 + Math.max(...taken.map(({ key }) => key)),
  step: end('stop'),
});
const back = (nodes: ReturnType<typeof treeOf>) => listOf(nodes, newEnd).map(({ step }) => step);
const inShort = (steps: Step[]) =>
  steps.map((step) => (step.type === 'condition' ? `${step.id}→${step.else}` : step.id));

/** Chains as the API takes them: a condition leads to a later step, or to the end. */
const chains = fc
  .array(fc.record({ kind: fc.constantFrom('send', 'end', 'condition'), jump: fc.nat(12) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((shapes) =>
    shapes.map(({ kind, jump }, index): Step => {
      if (kind === 'send') return send(`s${index}`);
      if (kind === 'end') return end(`s${index}`);
      const target = index + 1 + jump;
      return condition(`s${index}`, target < shapes.length ? `s${target}` : 'end');
    }),
  );

describe('a chain as it is drawn', () => {
  it('is the same chain when nothing was changed', () => {
    fc.assert(
      fc.property(chains, (steps) => {
        expect(back(treeOf(drafts(steps)))).toEqual(steps);
      }),
      runs(300, 7),
    );
  });

  it('has two columns below a condition whose yes column ends', () => {
    const [node] = treeOf(drafts([condition('if', 'no'), send('yes'), end('stop'), send('no')]));
    expect(node?.yes.map(({ draft }) => draft.step.id)).toEqual(['yes', 'stop']);
    expect(node?.otherwise).toMatchObject({ kind: 'steps', steps: [{ draft: { step: { id: 'no' } } }] });
  });

  it('gets an end in the yes column with the first step of the no column', () => {
    const no: Column = { of: 0, side: 'no' };
    const tree = treeOf(drafts([condition('if', 'end'), send('yes')]));
    const changed = inserted(tree, no, 0, { key: 9, step: send('no') });
    expect(inShort(back(changed))).toEqual(['if→no', 'yes', 'stop', 'no']);
    const keys = listOf(changed, newEnd).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    // A step before the first one becomes the first one.
    const again = inserted(treeOf(listOf(changed, newEnd)), no, 0, { key: 10, step: send('first') });
    expect(inShort(back(again))).toEqual(['if→first', 'yes', 'stop', 'first', 'no']);
    expect(inShort(back(moved(treeOf(listOf(again, newEnd)), no, 0, 1)))).toEqual([
      'if→no',
      'yes',
      'stop',
      'no',
      'first',
    ]);
  });

  it('takes what followed into the yes column of a new condition', () => {
    const tree = treeOf(drafts([send('a'), send('b')]));
    const changed = inserted(tree, null, 1, { key: 9, step: condition('if', 'end') });
    expect(inShort(back(changed))).toEqual(['a', 'if→end', 'b']);
    expect(changed[1]?.yes).toHaveLength(1);
  });

  it('loses the no column with its condition, and leads nowhere that is gone', () => {
    const tree = treeOf(drafts([send('a'), condition('if', 'no'), send('yes'), end('stop'), send('no')]));
    expect(inShort(back(removed(tree, null, 1)))).toEqual(['a', 'yes']);
    const skipping = treeOf(drafts([condition('if', 'c'), send('b'), send('c'), send('d')]));
    expect(inShort(back(removed(skipping, null, 1)))).toEqual(['if→d', 'b', 'd']);
  });
});
