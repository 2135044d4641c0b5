"""Measurements that one paper makes and no other."""
