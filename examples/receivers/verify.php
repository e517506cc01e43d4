<?php

// $body is file_get_contents('php://input'), $header is $_SERVER['HTTP_X_SERVICE_SIGNATURE'].
function is_valid(string $body, string $header, string $secret): bool
{
    preg_match('/(?:^|,)\s*t=(\d+)/', $header, $time);
    preg_match_all('/(?:^|,)\s*v1=([0-9a-f]+)/', $header, $signatures);
    $expected = hash_hmac('sha256', ($time[1] ?? '') . '.' . $body, $secret);
    $valid = false;
    foreach ($signatures[1] as $signature) {
        $valid = hash_equals($expected, $signature) || $valid;
    }
    return $valid;
}
