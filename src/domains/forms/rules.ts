import { compares } from '../../base/contract/rules';
import type { Answer, AnswerRule, AnswerRules, Answers, FormRoute } from './contract';

/** A route that a submission takes, with its place in the form. */
export interface TakenRoute {
  index: number;
  route: FormRoute;
}

/** The routes whose rules hold, in order, up to the first `spam`, which ends. */
export function routesTaken(routes: readonly FormRoute[], answers: Answers): TakenRoute[] {
  const holding = routes
    .map((route, index) => ({ index, route }))
    .filter(({ route }) => route.when === undefined || rulesHold(route.when, answers));
  const end = holding.findIndex(({ route }) => route.action === 'spam');
  return end < 0 ? holding : holding.slice(0, end + 1);
}

/** Those of a submission that a person has moved out of the spam folder: no rule moves it back. */
export function routesOfGood(routes: readonly FormRoute[], answers: Answers): TakenRoute[] {
  return routes
    .map((route, index) => ({ index, route }))
    .filter(({ route }) => route.action !== 'spam')
    .filter(({ route }) => route.when === undefined || rulesHold(route.when, answers));
}

export function rulesHold({ match = 'all', rules }: AnswerRules, answers: Answers): boolean {
  const holds = (rule: AnswerRule) => ruleHolds(rule, answers);
  return match === 'all' ? rules.every(holds) : rules.some(holds);
}

function ruleHolds({ field, op, value }: AnswerRule, answers: Answers): boolean {
  const answer: Answer | undefined = Object.hasOwn(answers, field) ? answers[field] : undefined;
  return compares(answer, op, value);
}
