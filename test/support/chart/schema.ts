import path from 'node:path';
import Ajv from 'ajv/dist/2020';
import { readPacked } from '../packed-file';

interface KubernetesSchema {
  $defs: Record<
    string,
    { 'x-kubernetes-group-version-kind'?: { group: string; kind: string; version: string }[] }
  >;
}
const schemas = path.join(__dirname, '..', '..', 'unit', 'packaging', 'schemas');
const schema = JSON.parse(
  readPacked(path.join(schemas, 'kubernetes.json.br')).toString(),
) as KubernetesSchema;
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(schema, 'kubernetes');

/** The check of the Kubernetes API for one kind of object. */
export function validatorFor({ apiVersion, kind }: { apiVersion: string; kind: string }) {
  const [version, group = ''] = apiVersion.split('/').reverse();
  const name = Object.entries(schema.$defs).find(([, definition]) =>
    definition['x-kubernetes-group-version-kind']?.some(
      (known) => known.group === group && known.version === version && known.kind === kind,
    ),
  )?.[0];
  return name === undefined ? undefined : ajv.getSchema(`kubernetes#/$defs/${name}`);
}
