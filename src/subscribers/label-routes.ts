import type pg from 'pg';
import { pageOf } from '../contract/common';
import { shortListQuery, shortPage } from '../contract/short-list';
import { routesOf } from '../http/route';
import { isoTime } from '../lib/iso-time';
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
import { changeLabel, createLabel, removeLabel } from './labels';
import { listLabels, type LabelRow, type LabelValues } from './queries/labels';

const route = routesOf('Tags and permissions');

export function createLabelRoutes({ pool }: { pool: pg.Pool }) {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/tags',
        summary: 'List tags',
        query: shortListQuery,
        response: pageOf(tagSchema),
      },
      async ({ project, query }) => {
        const found = await listLabels(pool, project.id, 'tags');
        return shortPage(found, query, ({ name }) => name, presentTag);
      },
    ),

    route(
      {
        method: 'POST',
        path: '/v1/tags',
        summary: 'Create a tag',
        description: 'A tag also comes into being when a subscriber or a link gets it.',
        idempotent: {},
        namedBy: 'name',
        body: newTagSchema,
        status: 201,
        response: tagSchema,
        errors: ['conflict'],
      },
      async ({ project, body, work }) =>
        presentTag(await createLabel(pool, project.id, 'tags', { ...untitled, name: body.name }, work)),
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/tags/{name}',
        summary: 'Rename a tag',
        description:
          'A new name replaces the old one on all its subscribers, a thousand at a time if there are more. No event is emitted.',
        params: labelParams,
        body: tagChangesSchema,
        response: tagSchema,
        errors: ['conflict'],
      },
      async ({ project, params, body }) => {
        const changes = body.name === undefined ? {} : { name: body.name };
        return presentTag(await changeLabel(pool, project.id, 'tags', params.name, changes));
      },
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/tags/{name}',
        summary: 'Delete a tag',
        description:
          'Also removes it from all subscribers, a thousand at a time if there are more. No event is emitted.',
        params: labelParams,
        status: 204,
        errors: ['conflict'],
      },
      ({ project, params }) => removeLabel(pool, project.id, 'tags', params.name),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/permissions',
        summary: 'List permissions',
        query: shortListQuery,
        response: pageOf(permissionSchema),
      },
      async ({ project, query }) => {
        const found = await listLabels(pool, project.id, 'permissions');
        return shortPage(found, query, ({ name }) => name, presentPermission);
      },
    ),

    route(
      {
        method: 'POST',
        path: '/v1/permissions',
        summary: 'Create a permission',
        description: 'Permissions with a title are offered in the Mini App.',
        idempotent: {},
        namedBy: 'name',
        body: newPermissionSchema,
        status: 201,
        response: permissionSchema,
        errors: ['conflict'],
      },
      async ({ project, body: { name, ...body }, work }) => {
        const values = { ...untitled, ...permissionValues(body), name };
        return presentPermission(await createLabel(pool, project.id, 'permissions', values, work));
      },
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/permissions/{name}',
        summary: 'Update a permission',
        description:
          'A new name replaces the old one on all its subscribers, a thousand at a time if there are more. No event is emitted.',
        params: labelParams,
        body: permissionChangesSchema,
        response: permissionSchema,
        errors: ['conflict'],
      },
      async ({ project, params, body }) =>
        presentPermission(
          await changeLabel(pool, project.id, 'permissions', params.name, permissionValues(body)),
        ),
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/permissions/{name}',
        summary: 'Delete a permission',
        description:
          'Also removes it from all subscribers, a thousand at a time if there are more. No event is emitted.',
        params: labelParams,
        status: 204,
        errors: ['conflict'],
      },
      ({ project, params }) => removeLabel(pool, project.id, 'permissions', params.name),
    ),
  ];
}

const untitled = { title_en: null, title_ru: null, granted_by_default: false } as const;

/** Absent fields do not change. */
function permissionValues({ default: isDefault, ...given }: PermissionChanges): Partial<LabelValues> {
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
