/** The public interface of this domain. */
export { oidcKeyPurpose, rotateKeys } from './keys';
export { createOidc } from './mount';
