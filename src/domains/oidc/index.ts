/** The public interface of this domain. */
export { rotateKeys } from './keys';
export { createOidc } from './mount';
