/** The public interface of this domain. */
export { csvRows, jsonRows, openLines } from './lines';
export { createExportRoute } from './routes';
export { exportedRows, type ExportSource } from './source';
