/** The public interface of this domain. */
export { requireRoomForEntry } from './entries';
