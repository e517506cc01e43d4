/** The public interface of this domain. */
export { openCsvLines } from './csv-lines';
export { leasedStream } from './leased-stream';
export { createExportRoute } from './routes';
export { exportedRows, type ExportSource } from './source';
