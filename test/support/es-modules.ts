/** Libraries that are ES modules, for tests: jest converts this file's import() as it does with the libraries. */
export const loadOpenidClient = () => import('openid-client');
export const loadJose = () => import('jose');
