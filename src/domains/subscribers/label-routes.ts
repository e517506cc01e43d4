import type pg from 'pg';
import { pageOf } from '../../base/contract/common';
import { shortListQuery, shortPage } from '../../base/contract/short-list';
import { routesOf, type Route } from '../../base/http/route';
import { isoTime } from '../../base/lib/iso-time';
import {
  labelParams,
  newPermissionSchema,
  newTagSchema,
  permissionChangesSchema,
  permissionSchema,
  tagChangesSchema,
  tagSchema,
  type PermissionChanges,
  type PermissionView,
  type TagView,
} from './contract';
import { changeLabel, createLabel, labelKinds, removeLabel } from './labels';
import { listLabels, type LabelKind, type LabelRow, type LabelValues } from './queries/labels';

const route = routesOf('Tags and permissions');

export function createLabelRoutes({ pool }: { pool: pg.Pool }): Route[] {
  return [...createRoutes(pool, 'tags'), ...createRoutes(pool, 'permissions')];
}

const kinds = {
  tags: {
    given: newTagSchema,
    changes: tagChangesSchema,
    view: tagSchema,
    present: presentTag,
    origin: 'A tag also comes into being when a subscriber or a link gets it.',
    change: 'Rename',
  },
  permissions: {
    given: newPermissionSchema,
    changes: permissionChangesSchema,
    view: permissionSchema,
    present: presentPermission,
    origin: 'Permissions with a title are offered in the Mini App.',
    change: 'Update',
  },
};

function createRoutes(pool: pg.Pool, kind: LabelKind): Route[] {
  const { given, changes, view, present, origin, change } = kinds[kind];
  const { one } = labelKinds[kind];
  const path = `/v1/${kind}`;
  return [
    route(
      { method: 'GET', path, summary: `List ${kind}`, query: shortListQuery, response: pageOf(view) },
      async ({ project, query }) =>
        shortPage(await listLabels(pool, project.id, kind), query, ({ name }) => name, present),
    ),

    route(
      {
        method: 'POST',
        path,
        summary: `Create a ${one}`,
        description: origin,
        idempotent: {},
        namedBy: 'name',
        body: given,
        status: 201,
        response: view,
        errors: ['conflict'],
      },
      async ({ project, body, work }) => {
        const values = { ...untitled, ...valuesOf(body), name: body.name };
        return present(await createLabel(pool, project.id, kind, values, work));
      },
    ),

    route(
      {
        method: 'PATCH',
        path: `${path}/{name}`,
        summary: `${change} a ${one}`,
        description:
          'A new name replaces the old one on all its subscribers, a thousand at a time if there are more. No event is emitted.',
        params: labelParams,
        body: changes,
        response: view,
        errors: ['conflict'],
      },
      async ({ project, params, body }) =>
        present(await changeLabel(pool, project.id, kind, params.name, valuesOf(body))),
    ),

    route(
      {
        method: 'DELETE',
        path: `${path}/{name}`,
        summary: `Delete a ${one}`,
        description:
          'Also removes it from all subscribers, a thousand at a time if there are more. No event is emitted.',
        params: labelParams,
        status: 204,
        errors: ['conflict'],
      },
      ({ project, params }) => removeLabel(pool, project.id, kind, params.name),
    ),
  ];
}

const untitled = { title_en: null, title_ru: null, granted_by_default: false } as const;

/** Absent fields do not change. */
function valuesOf({ default: isDefault, ...given }: PermissionChanges): Partial<LabelValues> {
  const values = { ...given, granted_by_default: isDefault };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function presentTag({ name, subscribers, created_at }: LabelRow): TagView {
  return { name, subscribers, created_at: isoTime(created_at) };
}

function presentPermission(label: LabelRow): PermissionView {
  return {
    ...presentTag(label),
    title_en: label.title_en,
    title_ru: label.title_ru,
    default: label.granted_by_default,
  };
}
