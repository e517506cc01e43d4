/** The public interface of this domain. */
export { fireScheduled } from './fire';
