/** Herald's own copy of a logo. A new logo gets a new path, so that the copy can be cached. */
export const logoPath = (logoId: string) => `/brand/logo/${logoId}`;

/** A style sheet, because the pages' policy allows no inline styles. */
export const stylePath = (color: string) => `/brand/${color.slice(1)}.css`;
