/** The public interface of this domain. */
export { trackIn } from './track';
