export * from './basics';
export * from './charts';
export * from './code';
export * from './dialog';
export * from './fields';
export * from './form';
export * from './list';
export * from './toast';
