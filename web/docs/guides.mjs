export function guides() { return { name: 'guides' }; }
