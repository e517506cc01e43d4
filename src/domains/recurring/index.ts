/** The public interface of this domain. */
export { runDue } from './runs';
