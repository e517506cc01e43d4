/** SQL, by kind of label: whether `audience` names the label $2. */
export const namedByAudience = {
  tags: `(audience -> 'tags_all' ? $2 OR audience -> 'tags_any' ? $2 OR audience -> 'exclude_tags' ? $2)`,
  permissions: `audience ->> 'permission' = $2`,
};
