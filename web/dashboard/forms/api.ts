import type { z } from 'zod';
import type {
  Field,
  FieldType,
  FormRoute,
  FormStats,
  FormView,
  newFormSchema,
  replacedFormSchema,
  SubmissionStatus,
  SubmissionView as Submission,
} from '../../../src/domains/forms/contract';
import type { TicketTypeView as TicketType } from '../../../src/domains/helpdesk/contract';
import { call, query, type Page } from '../api';

export type { Field, FieldType, FormRoute, FormStats, FormView, Submission, SubmissionStatus, TicketType };
export type FormDefinition = z.input<typeof replacedFormSchema>;

const get = <T>(path: string) => call<T>('GET', path);
const BASE = '/v1/forms';

/** The calls of the forms' pages. */
export const formsApi = {
  list: () => get<Page<FormView>>(`${BASE}?limit=100`),
  stats: () => get<FormStats>(`${BASE}/stats`),
  form: (id: string) => get<FormView>(`${BASE}/${id}`),
  create: (form: z.input<typeof newFormSchema>, key: string) => call<FormView>('POST', BASE, form, key),
  replace: (id: string, form: FormDefinition) => call<FormView>('PUT', `${BASE}/${id}`, form),
  remove: (id: string) => call<void>('DELETE', `${BASE}/${id}`),
  submissions: (id: string, filter: { status: SubmissionStatus; cursor: string | null }) =>
    get<Page<Submission>>(`${BASE}/${id}/submissions${query({ ...filter, limit: 25 })}`),
  move: (id: string, status: SubmissionStatus) =>
    call<Submission>('PATCH', `/v1/submissions/${id}`, { status }),
  removeSubmission: (id: string) => call<void>('DELETE', `/v1/submissions/${id}`),
  ticketTypes: () => get<Page<TicketType>>('/v1/helpdesk/types'),
};
